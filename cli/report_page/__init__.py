"""The page of ``verify --report``: one HTML file that says what was checked, and needs nothing from anywhere.

``Chronicle`` keeps what the page tells while the verifier runs, ``fairness`` the sample of opened decks; ``page.build``
makes the file of both. Everything that comes from a transcript is hostile and goes through ``markup``, which escapes
whatever is not markup already.
"""
