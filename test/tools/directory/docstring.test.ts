import { expect, test } from "vitest";
import { findFirstParagraph, readDocstring } from "../../../src/tools/directory/docstring.ts";

test.each([
  ["a.js", "/** Says hello. */\nexport default {};", "Says hello."],
  ["a.ts", "import x from 'y';\n\n/**\n * Says hello\n * to many.\n *\n * @param x who\n */\n", "Says hello to many."],
  ["a.mjs", "/** @type {import('duet-mcp').OwnTool} */\nconst a = 1;\n/** The tool. */", "The tool."],
  ["a.mjs", 'const glob = "src/**/*.ts"; /* plain */ // line', ""],
  ["a.mjs", "/**/ /** too late on its line */", ""],
  [
    "a.py",
    '#!/usr/bin/env python3\n# coding: utf-8\n\n"""Counts words.\n\nUsage: count.py\n"""\nimport os',
    "Counts words.",
  ],
  ["a.py", "r'''Counts\n  words.'''", "Counts words."],
  ["a.py", 'import os\n"""No docstring."""', ""],
  [
    "a.sh",
    "#!/bin/sh\n# shellcheck disable=SC2086\n# Packs a folder\n# as zip.\n#\n# Usage: pack.sh\nset -e\n# later",
    "Packs a folder as zip.",
  ],
  ["a.sh", "set -e\n# later", ""],
  ["a.rb", "# frozen_string_literal: true\r\n\r\n# 统计字数\r\nputs 1", "统计字数"],
])("what %s says of itself: %#", (file, text, expected) => {
  expect(readDocstring(text, file)).toBe(expected);
});

test.each([
  ["# Title\n\nFirst\nparagraph.\n\nSecond.", "First paragraph."],
  ["# Title\nRight below.\n", "Right below."],
  ["<!-- note -->\n![logo](a.png)\n\n```sh\ncode\n```\n\nAt last.", "At last."],
  ["# Only\n\n## Headings", ""],
  ["", ""],
])("the first paragraph of a document: %#", (markdown, expected) => {
  expect(findFirstParagraph(markdown)).toBe(expected);
});
