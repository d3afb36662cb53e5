import { importPart } from "./load-parts.ts";
import type { OperatorPart } from "./views/page-model.ts";

/** Loads the script of the operator's view, which a browser keeps. Rejects where it cannot be loaded. */
export function loadOperator(): Promise<OperatorPart> {
  return importPart("/page/operator.js", isOperatorPart);
}

function isOperatorPart(module: unknown): module is OperatorPart {
  return typeof module === "object" && module !== null && "mount" in module && typeof module.mount === "function";
}
