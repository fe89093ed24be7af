"""What Markdown of strangers becomes."""

from __future__ import annotations

import pytest

from bot.trackers.embedded.pages.markdown import render
from bot.trackers.embedded.pages.render import ink


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a<br>b", "<p>a<br>b</p>"),
        ("a <br/> b", "<p>a <br> b</p>"),
        ("<sub>small</sub>", "<p><sub>small</sub></p>"),
        ("<sub>never closed", "<p><sub>never closed</p>\n</sub>"),
        ("</details>\n\nafter", "\n<p>after</p>"),
        ("<details open>\nx\n</details>", "<details open>\nx\n</details>"),
        ("<details onclick=x>", "&lt;details onclick=x&gt;"),
        ("<DETAILS>", "&lt;DETAILS&gt;"),
        ("a <!-- hidden --> b", "<p>a  b</p>"),
        ("<!-- hidden\nto the end <b>", ""),
        ("<style>*{}</style>", "&lt;style&gt;*{}&lt;/style&gt;"),
        ("<details><script>x</script></details>", "<details>&lt;script&gt;x&lt;/script&gt;</details>"),
        ("a <a href='x'>b</a>", "<p>a &lt;a href=&#x27;x&#x27;&gt;b&lt;/a&gt;</p>"),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        ("`<br> #1`", "<p><code>&lt;br&gt; #1</code></p>"),
        ("see #12.", '<p>see <a href="/o/r/issues/12">#12</a>.</p>'),
        ("[#12](https://example.org)", '<p><a href="https://example.org">#12</a></p>'),
        ("a#12 ##12", "<p>a#12 ##12</p>"),
    ],
)
def test_only_harmless_elements_are_left(source: str, expected: str) -> None:
    assert render(source, repository_path="/o/r").strip("\n") == expected.strip("\n")


@pytest.mark.parametrize(
    ("color", "text"), [("ffffff", "000000"), ("000000", "ffffff"), ("1d76db", "ffffff"), ("fbca04", "000000")]
)
def test_a_label_can_be_read(color: str, text: str) -> None:
    assert ink(color) == text
