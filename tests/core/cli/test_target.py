"""Where answers are written: refused before long work where nothing can be, and whole or not at all."""

import pandas as pd
import pytest

from core.cli.target import checked_table, checked_target, write_table
from core.errors import SettingError


def test_a_target_that_cannot_be_written_is_refused_beforehand(tmp_path):
    assert checked_target(str(tmp_path / "answer.csv")).parent == tmp_path
    (tmp_path / "file").write_text("no folder")
    for target in (tmp_path / "nowhere" / "answer.csv", tmp_path / "file" / "answer.csv", tmp_path):
        with pytest.raises(SettingError, match="--out"):
            checked_target(str(target))


def test_a_table_is_written_in_the_format_its_name_ends_in(tmp_path):
    table = pd.DataFrame({"id": ["a", "b"], "fold": [1, 2]})
    for ending, read in (("csv", pd.read_csv), ("parquet", pd.read_parquet)):
        target = str(tmp_path / f"split.{ending}")
        write_table(target, table)
        assert read(target).equals(table)
    with pytest.raises(SettingError, match=r"files ending in '.xls' are not written"):
        checked_table(str(tmp_path / "split.xls"))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["split.csv", "split.parquet"], "nothing half written"
