package narrow

import "os"

func init() { _ = os.Unsetenv("RUNEWIDTH_EASTASIAN") }
