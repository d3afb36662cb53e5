import type { Means } from "../../../runs/input/pending-work.ts";
import type { CallProgress } from "./call-progress.ts";

/** What a host's request may use on its way. */
export interface HostMeans extends Means {
  readonly progress: CallProgress;
}
