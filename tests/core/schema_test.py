"""What we write validates against the schemas, what is broken does not, and no field is undocumented.

    schema_test.py WRITE_EXAMPLES SCHEMA_FOLDER
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

WRITE_EXAMPLES, SCHEMA_FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])


def resolve(schema, root):
    """The definition that a field's schema refers to, or itself."""
    return root["$defs"][schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema


def objects_of(value, path=()):
    """Paths of all objects in a document."""
    if isinstance(value, dict):
        yield path
        for key, below in value.items():
            yield from objects_of(below, path + (key,))
    elif isinstance(value, list):
        for i, below in enumerate(value):
            yield from objects_of(below, path + (i,))


def at(value, path):
    for step in path:
        value = value[step]
    return value


def definition_at(root, path):
    """The schema of the object at `path` of a document."""
    schema = root
    for step in path:
        if isinstance(step, int):
            below = schema["items"]
        else:
            below = schema.get("properties", {}).get(step) or schema["additionalProperties"]
        schema = resolve(below, root)
    return schema


class SchemaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([WRITE_EXAMPLES, folder], check=True)
            cls.documents = {
                name: json.loads(pathlib.Path(folder, name + ".json").read_text()) for name in ("profile", "experiment", "machine")
            }
        cls.schemas = {
            name: json.loads(next(SCHEMA_FOLDER.rglob(name + ".schema.json")).read_text()) for name in cls.documents
        }
        cls.validators = {name: jsonschema.Draft202012Validator(schema) for name, schema in cls.schemas.items()}

    def test_the_schemas_are_schemas(self):
        for schema in self.schemas.values():
            jsonschema.Draft202012Validator.check_schema(schema)

    def test_what_we_write_is_valid(self):
        for name, document in self.documents.items():
            errors = [f"{list(e.absolute_path)}: {e.message}" for e in self.validators[name].iter_errors(document)]
            self.assertEqual(errors, [])

    def test_a_missing_field_is_invalid_unless_it_has_a_default(self):
        # A default is the meaning of a field's absence in files of versions that did not have it.
        for name, document in self.documents.items():
            for path in objects_of(document):
                properties = definition_at(self.schemas[name], path).get("properties")
                if properties is None:
                    continue  # names are the user's or the machine's: parameters, metrics, levels
                for key in at(document, path):
                    broken = copy.deepcopy(document)
                    del at(broken, path)[key]
                    self.assertEqual(
                        self.validators[name].is_valid(broken),
                        "default" in properties[key],
                        f"{name}: {path} without {key}",
                    )

    def test_a_value_of_another_type_is_invalid(self):
        for name, document in self.documents.items():
            for path in objects_of(document):
                for key, value in at(document, path).items():
                    # false is none of our numbers, texts, lists and objects; 1.5 is no truth value.
                    broken = copy.deepcopy(document)
                    at(broken, path)[key] = 1.5 if isinstance(value, bool) else False
                    self.assertFalse(self.validators[name].is_valid(broken), f"{name}: {path}: {key}")

    def test_another_version_is_invalid(self):
        for name, document in self.documents.items():
            self.assertFalse(self.validators[name].is_valid({**document, "schema": f"scalediag-{name}/2"}))

    def test_every_written_field_is_documented(self):
        for name, document in self.documents.items():
            self.check_documented(document, self.schemas[name], self.schemas[name], name)

    def check_documented(self, value, schema, root, path):
        target = resolve(schema, root)
        if isinstance(value, list) and "items" in target:
            for below in value:
                self.check_documented(below, target["items"], root, path + "[]")
        if not isinstance(value, dict):
            return
        for key, below in value.items():
            if "properties" in target:
                self.assertIn(key, target["properties"], f"{path}.{key} is written but not in the schema")
                self.check_documented(below, target["properties"][key], root, f"{path}.{key}")
            else:
                self.check_documented(below, target["additionalProperties"], root, f"{path}.{key}")

    def test_every_field_has_a_meaning_a_unit_and_a_shape(self):
        for name, root in self.schemas.items():
            for owner, definition in [(name, root), *root["$defs"].items()]:
                self.assertTrue(definition.get("description"), owner)
                for key, field in definition["properties"].items():
                    text = field.get("description", resolve(field, root).get("description", ""))
                    self.assertTrue(text, f"{owner}.{key}")
                    if resolve(field, root).get("type") == "object" and "$ref" in field and "description" not in field:
                        continue  # a group of fields, each with its own
                    self.assertRegex(text, r"Unit: .+ Shape: .+\.$", f"{owner}.{key}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
