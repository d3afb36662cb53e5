import type { Locale } from "../core/locale.ts";
import type { Tool } from "../core/tool.ts";
import { builtinExamples } from "../tools/builtin-examples.ts";
import { documentTools } from "../tools/tool-documents.ts";

/** Gives a document of tools as Markdown; `ask` is the configuration's `tools.ask`. */
export function toToolDocuments(tools: readonly Tool[], locale: Locale, ask: readonly string[]): string {
  return documentTools(tools, { locale, ask, examples: builtinExamples });
}
