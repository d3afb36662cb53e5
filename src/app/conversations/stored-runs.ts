import type { Config } from "../../config/config.ts";
import { type Caller, operator } from "../../core/caller.ts";
import type { AgentEvent } from "../../core/run/events.ts";
import type { TakenRun, WantedRuns } from "../../core/store/journal.ts";
import { localRuns, type SharedRun, type SharedRuns } from "../../core/store/shared-runs.ts";
import type { Once } from "../../kit/async/once.ts";
import type { ResumableRun } from "../ask/resume-run.ts";
import type { OpenedStore } from "./open-store.ts";
import { findDatabase } from "./store-settings.ts";

/** Finds and takes the runs that the store records, of this process and of others. The store is opened when first needed. */
export class StoredRuns {
  readonly #config: Config;
  readonly #store: Once<OpenedStore>;

  constructor(config: Config, store: Once<OpenedStore>) {
    this.#config = config;
    this.#store = store;
  }

  /** Is false where nothing outlives the process, so that no run can be interrupted. */
  get areRecorded(): boolean {
    return this.#config.conversations.store === "disk";
  }

  /** Is true where several processes, on any number of machines, share the runs. */
  get areShared(): boolean {
    return findDatabase(this.#config) !== undefined;
  }

  /**
   * Lists the runs that a crash has interrupted, of all callers and of all conversations or those with one ID, oldest first. Rejects when
   * the store cannot be read.
   */
  async listInterrupted(conversationId?: string): Promise<ResumableRun[]> {
    const { journal } = await this.#store.get();
    const runs = (await journal?.listInterrupted(conversationId)) ?? [];
    if (runs.length === 0) return [];
    const { toResumable } = await import("../ask/resume-run.ts");
    return runs.map((run) => toResumable(run, this.#config));
  }

  /** Returns a run that a crash has interrupted, whoever asked for it. Rejects when the store cannot be read. */
  async findInterrupted(runId: string): Promise<ResumableRun | undefined> {
    const { journal } = await this.#store.get();
    const run = await journal?.findInterrupted(runId);
    return run && (await import("../ask/resume-run.ts")).toResumable(run, this.#config);
  }

  /**
   * Takes an interrupted run for this process, which has to go on with it: `toResumedRequest`. Undefined where another process has
   * it, it has ended, or nothing can be resumed.
   */
  async takeInterrupted(runId: string): Promise<TakenRun | undefined> {
    const { journal } = await this.#store.get();
    return journal?.take(runId);
  }

  /**
   * Takes runs of this interface whose processes are gone, up to `most`, while other processes do the same. Undefined where runs are
   * taken one by one. Rejects when the store cannot be read.
   */
  async takeOver(wanted: Pick<WantedRuns, "entrance" | "most">): Promise<TakenRun[] | undefined> {
    const { journal } = await this.#store.get();
    const withinMs = this.#config.store.resumeWithin * 1000;
    return journal?.takeOver?.({ ...wanted, withinMs });
  }

  /** Returns true for an interrupted run that goes on by itself, by the clock that all processes share. */
  canResume({ ageMs }: Pick<SharedRun, "ageMs">): boolean {
    return ageMs <= this.#config.store.resumeWithin * 1000;
  }

  /** Is true for a run of which it is known that it has done nothing, and that may begin still. Rejects when the store cannot be read. */
  async mayBegin(runId: string): Promise<boolean> {
    const { journal } = await this.#store.get();
    return (await journal?.mayBegin?.(runId)) ?? false;
  }

  /** Is true while a process carries out this run. Rejects when the store cannot be read. */
  async isGoing(runId: string): Promise<boolean> {
    const { journal } = await this.#store.get();
    return (await journal?.isGoing(runId)) ?? false;
  }

  /** Returns the events of a run that readers may have received before its process ended. */
  async listEvents(runId: string, caller: Caller = operator): Promise<AgentEvent[]> {
    const { journal } = await this.#store.get();
    return (await journal?.events(runId, caller.owner)) ?? [];
  }

  /** Counts the runs that wait for a newer program, which alone can read them. Rejects when the store cannot be read. */
  async countNewer(): Promise<number> {
    const { journal } = await this.#store.get();
    return (await journal?.countNewer?.()) ?? 0;
  }

  /** Lets the processes that share the store follow and steer the runs of each other. Never rejects. */
  async openShared(): Promise<SharedRuns> {
    return (await this.#store.get()).sharedRuns ?? localRuns;
  }
}
