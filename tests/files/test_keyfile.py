import multiprocessing
import stat

import pytest

from phasegate.errors import SettingsError
from phasegate.files.keyfile import KEY_FILE, load_key


def test_makes_a_private_key_once(tmp_path):
    key = load_key(str(tmp_path / "data"))

    assert load_key(str(tmp_path / "data")) == key
    assert stat.S_IMODE((tmp_path / "data" / KEY_FILE).stat().st_mode) == 0o600
    assert key.key_id not in key.secret.hex()
    assert key.secret.hex() not in repr(key)


def test_a_key_that_others_can_read_is_refused(tmp_path):
    load_key(str(tmp_path))
    (tmp_path / KEY_FILE).chmod(0o644)

    with pytest.raises(SettingsError, match="open to others"):
        load_key(str(tmp_path))


def test_a_linked_key_is_refused(tmp_path):
    load_key(str(tmp_path / "real"))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / KEY_FILE).symlink_to(tmp_path / "real" / KEY_FILE)

    with pytest.raises(SettingsError, match="regular file"):
        load_key(str(tmp_path / "other"))


@pytest.mark.parametrize("text", ["", "zz", "00" * 31, "é"])
def test_a_damaged_key_is_refused(tmp_path, text):
    (tmp_path / KEY_FILE).write_text(text)
    (tmp_path / KEY_FILE).chmod(0o600)

    with pytest.raises(SettingsError, match="holds no key"):
        load_key(str(tmp_path))


def _key_id(path):
    return load_key(path).key_id


def test_processes_that_start_together_agree_on_one_key(tmp_path):
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        assert len(set(pool.map(_key_id, [str(tmp_path)] * 8))) == 1
