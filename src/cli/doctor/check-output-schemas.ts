import { createFindUnusable, describeLeftOutSchema } from "../../app/tools/output-schemas.ts";
import type { Inventory } from "../../app/tools/tool-inventory.ts";
import type { Finding } from "./findings.ts";

/** Reports the tools that hosts get without their output schema. The agent has no use for it, so this is no fault. */
export async function checkOutputSchemas({ tools }: Inventory): Promise<Finding[]> {
  const unusable = await createFindUnusable()(tools);
  return unusable.map(({ tool: { name, source }, fault }): Finding => {
    const [what, text] = [{ zh: "工具", en: "tool" }, describeLeftOutSchema(fault)];
    return { topic: "tools", state: "none", what, name, text, details: { tool: name, source } };
  });
}
