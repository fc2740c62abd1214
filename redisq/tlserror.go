package redisq

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
)

// isTLS says that err comes from the TLS handshake and not from the server or the network.
func isTLS(err error) bool {
	var (
		record    tls.RecordHeaderError
		verify    *tls.CertificateVerificationError
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		alert     tls.AlertError
	)
	return errors.As(err, &record) || errors.As(err, &verify) || errors.As(err, &authority) ||
		errors.As(err, &host) || errors.As(err, &alert)
}
