package redisq

// Codes of a Problem.
const (
	ProblemMissing      = "missing"       // the stream or the group does not exist
	ProblemWrongType    = "wrong-type"    // the key holds another kind of data
	ProblemNoPermission = "no-permission" // the user may not send the command that the panel needs
	ProblemReplica      = "replica"       // the server is a replica: it can be watched, not changed
	ProblemReplaced     = "replaced"      // ids or counters went back: it is another stream or group than before
	ProblemUnread       = "trimmed-unread"
	ProblemError        = "error" // anything else that the server said
)
