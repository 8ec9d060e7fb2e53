"""Checks JSON against a JSON Schema: the keywords that our schemas use, and an error for any other."""

import re

KNOWN = {"$schema", "$id", "$defs", "$ref", "title", "description", "type", "const", "enum", "pattern", "minLength",
         "maxLength", "minimum", "exclusiveMinimum", "maximum", "items", "prefixItems", "minItems", "maxItems",
         "properties", "required", "additionalProperties", "anyOf"}
TYPES = {"object": dict, "array": list, "string": str, "null": type(None), "boolean": bool}


def is_type(value, name):
    if name in ("number", "integer"):
        kinds = (int, float) if name == "number" else int
        return isinstance(value, kinds) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def problems(value, schema, root=None, place="the file"):
    """What is wrong, one sentence each; the first few are enough for a reader."""
    root = root or schema
    unknown = set(schema) - KNOWN
    if unknown:
        raise ValueError(f"the schema uses {sorted(unknown)}, which is not checked here")
    if "$ref" in schema:
        target = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        return problems(value, target, root, place)
    if "anyOf" in schema:
        found = [problems(value, choice, root, place) for choice in schema["anyOf"]]
        return [] if any(not wrong for wrong in found) else found[0]
    if "type" in schema and not is_type(value, schema["type"]):
        return [f"{place} is no {schema['type']}"]
    return list(of_value(value, schema, place)) + list(of_list(value, schema, root, place)) \
        + list(of_object(value, schema, root, place))


def of_value(value, schema, place):
    if "const" in schema and value != schema["const"]:
        yield f"{place} is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place} is none of {schema['enum']}"
    if isinstance(value, str):
        if "pattern" in schema and not re.search(schema["pattern"], value):
            yield f"{place}, {value!r}, does not look like {schema['pattern']}"
        if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
            yield f"{place} is too short or too long"
    if is_type(value, "number"):
        if value < schema.get("minimum", value) or value > schema.get("maximum", value) \
                or ("exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"]):
            yield f"{place}, {value}, is out of range"


def of_list(value, schema, root, place):
    if not isinstance(value, list):
        return
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        yield f"{place} has {len(value)} entries"
    first = schema.get("prefixItems", [])
    for number, item in enumerate(value):
        rule = first[number] if number < len(first) else schema.get("items", {})
        yield from problems(item, rule, root, f"entry {number + 1} of {place}")


def of_object(value, schema, root, place):
    if not isinstance(value, dict):
        return
    for name in schema.get("required", []):
        if name not in value:
            yield f"{place} has no {name!r}"
    known = schema.get("properties", {})
    for name, item in value.items():
        if name in known:
            yield from problems(item, known[name], root, f"{name!r} of {place}")
        elif schema.get("additionalProperties", True) is False:
            yield f"{place} has {name!r}, which does not belong there"
