import type { Tool } from "../core/tools/tool.ts";
import type { Locale } from "../kit/locale.ts";
import { builtinExamples } from "../tools/builtin-examples.ts";
import { documentTools } from "../tools/tool-documents.ts";

/** Gives a document of tools as Markdown; `ask` is the configuration's `tools.ask`. */
export function toToolDocuments(tools: readonly Tool[], locale: Locale, ask: readonly string[]): string {
  return documentTools(tools, { locale, ask, examples: builtinExamples });
}
