import type { RequestContext } from "../../../runs/input/pending-work.ts";
import type { CallProgress } from "./call-progress.ts";

/** What a host's request may use on its way. */
export interface GatewayRequestContext extends RequestContext {
  readonly progress: CallProgress;
}
