package golang

import (
	"go/token"
	"testing"
)

func TestExported(t *testing.T) {
	for text, want := range map[string]string{
		"task": "Task", "task-id": "TaskID", "taskId": "TaskID", "TASK_ID": "TASKID", "jsonPointer": "JSONPointer",
		"日程": "X日程", "日程Id": "X日程ID", "3d": "X3d", "": "X", "$ref": "Ref", "a/b~c": "ABC", "émile": "Émile", "type": "Type",
		"e\u0301": "E", "\u0301": "X", "x²": "X", "ﬁn": "Xﬁn", "ǆ": "Ǆ",
	} {
		got := exported(text)
		if got != want {
			t.Errorf("exported(%q) = %q, want %q", text, got, want)
		}
		if !isExported(got) {
			t.Errorf("exported(%q) = %q is no exported identifier", text, got)
		}
	}
}

func TestUnexported(t *testing.T) {
	for text, want := range map[string]string{
		"task": "task", "Task-ID": "taskID", "ID": "id", "type": "type_", "string": "string_", "日程": "日程", "3d": "x3d", "": "x",
		"HTTPServer": "hTTPServer", "append": "append_",
	} {
		got := unexported(text)
		if got != want {
			t.Errorf("unexported(%q) = %q, want %q", text, got, want)
		}
		if !token.IsIdentifier(got) {
			t.Errorf("unexported(%q) = %q is no identifier", text, got)
		}
	}
}

func TestScopeTakesEachNameOnce(t *testing.T) {
	s := scope{}
	for _, want := range []string{"Task", "Task2", "Task3"} {
		if got := s.take("Task"); got != want {
			t.Errorf("take = %q, want %q", got, want)
		}
	}
	if got := s.take("Task2"); got != "Task22" {
		t.Errorf("a numbered name that is taken: %q", got)
	}
}
