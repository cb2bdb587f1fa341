"""Questions of the model that people answer (the tool `ask_person`): rules H4 and D8 of bundle-format.md. For
verify_bundle.py, which gives what reads values."""

def is_question(call):
    """Whether a person answers the call, instead of a tool. It is run with the answer, which approves nothing."""
    return call.get("tool") == "ask_person" and call.get("class") != "destructive"

def kind_of(call):
    """What people must have said of a call that runs."""
    return "answer" if is_question(call) else "approve"

def answer_of(said):
    """What the model gets as the result of a question: the answer, and who gave it."""
    note = {"note": said["note"]} if isinstance(said.get("note"), str) and said["note"].strip() else {}
    return {"answer": said.get("value"), "by": said.get("by")} | note
