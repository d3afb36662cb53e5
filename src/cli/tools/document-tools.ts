import type { Config } from "../../config/load-config.ts";
import { documentTools } from "../../tools/tool-documents.ts";
import type { ToolsOptions } from "./list-tools.ts";

/** Writes a document of every tool the agent would have, as Markdown. */
export async function documentAllTools(options: Omit<ToolsOptions, "output"> & { config: Config }): Promise<number> {
  const { duet, config, console, signal } = options;
  const { tools } = await duet.inventory(signal);
  console.stdout.write(documentTools(tools, { locale: duet.locale, ask: config.tools.ask }));
  return 0;
}
