// Package labtest lets a test binary be the worker process of the labs under test.
package labtest
