"""
Playbooks: what a label starts, what it runs on, and what its words mean.

A playbook is one Markdown file. Its front matter is read by ``load`` (``source`` cuts the file, ``yaml_tree``
reads YAML and remembers lines, ``schema`` and ``cross`` say what is allowed, ``complaints`` says it to
people), its body by ``template``. What comes out is a frozen ``playbook.Playbook`` that can be pinned with an
attempt. ``render`` makes the prompt, ``outcome`` turns a finished run into a decision, ``find`` reads whole
folders, and ``support`` names what the format can say and this version does not do yet.

Everything here is pure, apart from ``find``, which reads files.
"""
