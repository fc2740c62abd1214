// Package redistest gives tests the servers that they run against: the embedded one, and the real ones named in
// UNACKED_TEST_SERVERS, else those found on PATH.
//
// UNACKED_TEST_SERVERS names running servers that the tests may share, separated by spaces:
//
//	redis-7.0=redis://127.0.0.1:7000 valkey-8.1=redis://127.0.0.1:8001
//
// UNACKED_TEST_REQUIRE names servers, separated by spaces, without which the tests fail. A test never sees a server
// that is missing: it is not skipped, there is just no subtest for it.
package redistest
