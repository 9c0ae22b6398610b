"""Model files: one ``.npz`` of plain arrays and one ``.json`` manifest, atomic and verified."""

from spcviz.store.atomic import write_json_atomic
from spcviz.store.digests import digest_of_arrays
from spcviz.store.errors import StoreError, repair_command
from spcviz.store.models import (
    ModelStatus,
    StoredModel,
    list_models,
    load_model,
    save_model,
    set_licence,
    verify_model,
)

__all__ = [
    "ModelStatus",
    "StoreError",
    "StoredModel",
    "digest_of_arrays",
    "list_models",
    "load_model",
    "repair_command",
    "save_model",
    "set_licence",
    "verify_model",
    "write_json_atomic",
]
