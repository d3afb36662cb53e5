import { createOutputSchemaCheck, describeLeftOutSchema } from "../../app/tools/output-schemas.ts";
import type { Inventory } from "../../app/tools/tool-inventory.ts";
import type { Finding } from "./findings.ts";

/** Reports the tools that hosts get without their output schema. The agent has no use for it, so this is no fault. */
export async function checkOutputSchemas({ tools }: Inventory): Promise<Finding[]> {
  const unusable = await createOutputSchemaCheck()(tools);
  return unusable.map(({ tool: { name, source }, fault }): Finding => {
    const what = { zh: "工具", en: "tool" };
    const text = describeLeftOutSchema(fault);
    return { topic: "tools", state: "none", what, name, text, details: { tool: name, source } };
  });
}
