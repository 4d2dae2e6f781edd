"""The full-screen table: a model moved by events and keys, pure rendering to lines of styled text, one thin edge to
prompt-toolkit.

Read `text.py` (what a line is), `model.py` (what is known), `screen.py` (keys in, wishes out), `table.py` (the
picture) and `app.py` (the terminal) in this order.

Rules of the interface: keys first, the footer says what is legal now; colour is never alone; what a person decides is a
key of its own, so that a key pressed twice or late decides nothing else.
"""
