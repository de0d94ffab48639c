"""Text files become documents."""

import json

import pytest

from simspec.logits.corpora.documents import join_short, read_documents


def texts(path, **options):
    return [document.text for document in read_documents(path, **options)]


def test_wikitext_articles(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("\n = One = \n\n body \n\n = = Section = = \n\n more \n = Two = \n last \n")
    assert texts(path, min_chars=1) == ["= One = \n\n body \n\n = = Section = = \n\n more", "= Two = \n last"]


def test_paragraphs_then_lines(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("a\nb\n\nc\n")
    assert texts(path, min_chars=1) == ["a\nb", "c"]
    path.write_text("a\nb\n")
    assert texts(path, min_chars=1) == ["a", "b"]


def test_records(tmp_path):
    path = tmp_path / "a.jsonl"
    records = [{"answer": "4", "question": "2+2?", "id": 7}, {"sentence": "hello"}]
    path.write_text("\n".join(map(json.dumps, records)) + "\n")
    assert texts(path, min_chars=1) == ["2+2?\n4", "hello"]
    assert read_documents(path)[0].corpus == f"{tmp_path.name}/a.jsonl"
    (tmp_path / "a.json").write_text('["x", {"text": "y"}]')
    assert texts(tmp_path / "a.json", min_chars=1) == ["x", "y"]


def test_short_records_are_joined_and_none_is_lost():
    assert join_short(["ab", "c", " ", "defg", "h"], 4) == ["ab\nc", "defg\nh"]
    assert join_short(["a"], 9) == ["a"]
    assert join_short([], 9) == []


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", '{"id": 1}', "a.jsonl, record 1 has no text"),
        ("a.jsonl", "{", "a.jsonl cannot be read"),
        ("a.json", '{"text": "x"}', "a.json holds a dict; expected a list"),
        ("a.txt", " \n\n", "a.txt holds no text"),
    ],
)
def test_bad_files_are_named(tmp_path, name, content, message):
    (tmp_path / name).write_text(content)
    with pytest.raises(ValueError, match=message):
        read_documents(tmp_path / name)


def test_missing_and_binary_files_are_named(tmp_path):
    with pytest.raises(ValueError, match="no file"):
        read_documents(tmp_path / "absent.txt")
    (tmp_path / "a.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match="a.txt cannot be read"):
        read_documents(tmp_path / "a.txt")


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_texts_that_are_too_deeply_nested_are_named(tmp_path, name):
    (tmp_path / name).write_text("[" * 10**5)
    with pytest.raises(ValueError, match=f"text: {name} cannot be read: too deeply nested"):
        read_documents(tmp_path / name)


def test_a_link_to_itself_is_no_file(tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(ValueError, match="text: no file"):
        read_documents(tmp_path / "loop")


def test_one_heading_alone_splits_nothing(tmp_path):
    """What stands before it would be lost."""
    path = tmp_path / "a.txt"
    path.write_text("before\n\n = One = \n body\n")
    assert texts(path, min_chars=1) == ["before", "= One = \n body"]
