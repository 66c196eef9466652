"""The demo agent: a real Pipecat agent that books restaurant tables and needs no model.

``agent`` is the file to copy: how a Pipecat agent opts in to evals. Around it: ``tools`` and the
``restaurant`` they act on, the rule-based LLM service (``llm``, and ``rules``, ``conversation``,
``understanding`` and ``phrases`` behind it), and ``variants``, agents broken on purpose, so that
there is something to catch.
"""
