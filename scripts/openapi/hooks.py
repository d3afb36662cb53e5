"""Puts in what no document can say: names that this server knows, patterns of tools, files that can be read. What is wrong in its
form stays wrong."""

import schemathesis


def is_text(value):
    return isinstance(value, str) and value != ""


def is_list_of(kind):
    return lambda value: isinstance(value, list) and all(isinstance(entry, kind) for entry in value)


def is_names(value):
    return isinstance(value, dict) and all(is_text(name) for name in value.values())


def is_files(value):
    return is_list_of(dict)(value) and all(isinstance(file.get("data"), str) for file in value)


# What is replaced, and with what.
KNOWN = {
    "agent": (is_text, lambda _: ""),
    "confirmation": (is_text, lambda _: ""),
    "conversation_id": (is_text, lambda _: ""),
    "models": (is_names, lambda models: {role: "offline" for role in models}),
    "tools": (is_list_of(str), lambda tools: ["*" for _ in tools]),
    "output_schema": (lambda value: isinstance(value, dict), lambda _: {"type": "object"}),
    "attachments": (is_files, lambda files: [{**file, "name": "a.txt", "data": "aGVsbG8="} for file in files]),
    "images": (is_list_of(str), lambda _: []),
}


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.path != "/agent/chat" or not isinstance(case.body, dict):
        return
    fits = {name: value for name, value in case.body.items() if name in KNOWN and KNOWN[name][0](value)}
    case.body = {**case.body, **{name: KNOWN[name][1](value) for name, value in fits.items()}}
