package ui

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"example.com/unacked/redisq"
)

// A message is saved whole, in its order, with bytes that are no text marked; nothing is ever overwritten.
func TestSaveMessage(t *testing.T) {
	t.Chdir(t.TempDir())
	d := paneData(pendingSnapshot())
	d.keys.Save = bindNamed("w", "write", "w")
	big := strings.Repeat("x", 3*detailBytes)
	d.good.Pending.Rows[1].Fields = []redisq.Field{
		{Name: "a", Value: "1"}, {Name: "a", Value: "\xff\x00"}, {Name: "", Value: big},
	}
	v, l := openedDetail(t, d, detailPending, idAt(8.2))
	for range 2 {
		if n, ok := l.run(press(t, v, d, "w")).(notice); !ok || n.bad || !strings.Contains(n.text, "saved as ") {
			t.Fatalf("saving says %+v", n)
		}
	}
	for _, name := range []string{"unacked-" + idAt(8.2) + ".json", "unacked-" + idAt(8.2) + ".1.json"} {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Stream, ID string
			Fields     [][2]any
		}
		if err := json.Unmarshal(content, &got); err != nil {
			t.Fatal(err)
		}
		if got.Stream != "emails" || got.ID != idAt(8.2) || len(got.Fields) != 3 {
			t.Fatalf("%s holds %s of %s with %d fields", name, got.ID, got.Stream, len(got.Fields))
		}
		if got.Fields[0] != [2]any{"a", "1"} || got.Fields[2] != [2]any{"", big} {
			t.Errorf("%.80v", got.Fields)
		}
		coded, _ := got.Fields[1][1].(map[string]any)
		if raw, err := base64.StdEncoding.DecodeString(coded["base64"].(string)); err != nil || string(raw) != "\xff\x00" {
			t.Errorf("%v is not the bytes that were there", got.Fields[1])
		}
	}
	d.good.Pending.Rows[1].Fields = nil
	v, l = openedDetail(t, d, detailPending, "9-9")
	if n, ok := l.run(press(t, v, d, "w")).(notice); !ok || !n.bad {
		t.Errorf("saving nothing says %+v", n)
	}
}
