import type { Tool } from "../../core/tools/tool.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { createBuiltinTool, createSuccess } from "../create-tool.ts";

export function createEcho(locale: Locale): Tool {
  return createBuiltinTool({
    name: "echo",
    description: say(locale, { zh: "原样返回一段文字", en: "Returns a text exactly as given." }),
    inputSchema: {
      type: "object",
      properties: {
        text: { type: "string", description: say(locale, { zh: "要返回的文字", en: "The text to return" }) },
      },
      required: ["text"],
      additionalProperties: false,
    },
    run: async (args) => createSuccess(String(args.text)),
  });
}
