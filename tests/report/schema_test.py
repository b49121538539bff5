"""report.json validates against its schema, what is broken does not, and no field is undocumented.

    schema_test.py WRITE_REPORTS SCHEMA
"""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
except ImportError:
    print("skipped: the Python module jsonschema (package python3-jsonschema) is missing")
    sys.exit(77)

WRITE_REPORTS, SCHEMA = sys.argv[1], pathlib.Path(sys.argv[2])


SHARED = {"numbers", "texts", "truths", "columns", "point", "estimate", "estimate_or_null"}


def resolved(schema, root):
    """The object's definition behind a reference or behind "or null"."""
    for below in [schema, *schema.get("anyOf", [])]:
        if "$ref" in below:
            return resolved(root["$defs"][below["$ref"].rsplit("/", 1)[1]], root)
    return schema


class SchemaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([WRITE_REPORTS, folder, "example", "hostile"], check=True)
            cls.documents = {name: json.loads(pathlib.Path(folder, name + ".json").read_text())
                             for name in ("example", "hostile")}
        cls.schema = json.loads(SCHEMA.read_text())
        cls.validator = jsonschema.Draft202012Validator(cls.schema)

    def test_the_schema_is_one(self):
        jsonschema.Draft202012Validator.check_schema(self.schema)

    def test_what_we_write_is_valid(self):
        for document in self.documents.values():
            self.assertEqual([f"{list(e.absolute_path)}: {e.message}" for e in self.validator.iter_errors(document)], [])

    def test_a_missing_field_is_invalid(self):
        document = self.documents["example"]
        for path in [(), ("targets", 0), ("targets", 0, "total_s"), ("kernels", 0), ("kernels", 0, "targets"),
                     ("kernels", 0, "evidence"), ("kernels", 0, "evidence", "metrics", 0), ("curve",),
                     ("curve", "samples", 0), ("curve", "sweet_spot"), ("efficiencies", 0), ("traffic",),
                     ("traffic", "matrix"), ("traffic", "load"), ("provenance",), ("provenance", "runs", 0)]:
            owner = document
            for step in path:
                owner = owner[step]
            for key in owner:
                broken = copy.deepcopy(document)
                inner = broken
                for step in path:
                    inner = inner[step]
                del inner[key]
                self.assertFalse(self.validator.is_valid(broken), f"{path} without {key}")

    def test_another_version_is_invalid(self):
        self.assertFalse(self.validator.is_valid({**self.documents["example"], "schema": "scalediag-report/2"}))

    def test_every_written_field_is_documented(self):
        self.check_documented(self.documents["example"], self.schema, "report")

    def check_documented(self, value, schema, path):
        target = resolved(schema, self.schema)
        if isinstance(value, list):
            for below in value:
                self.check_documented(below, target.get("items", {}), path + "[]")
        if not isinstance(value, dict) or "properties" not in target:
            return
        for key, below in value.items():
            self.assertIn(key, target["properties"], f"{path}.{key} is written but not in the schema")
            field = target["properties"][key]
            self.assertTrue(field.get("description") or resolved(field, self.schema).get("description"), f"{path}.{key}")
            # The description of a type that many fields share says nothing about one of them.
            if field.get("$ref", "").rsplit("/", 1)[-1] in SHARED:
                self.assertTrue(field.get("description"), f"{path}.{key} has no description of its own")
            self.check_documented(below, field, f"{path}.{key}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
