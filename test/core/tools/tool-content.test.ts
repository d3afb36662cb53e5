import { expect, test } from "vitest";
import { renderContent } from "../../../src/core/tools/tool-content.ts";

test("structured content speaks where the text beside it is empty", () => {
  const raw = { content: [{ type: "text", text: "" }], structuredContent: { degrees: 21 } };
  expect(renderContent(raw, "en")).toBe('{\n  "degrees": 21\n}');
});
