import type { Config } from "../../config/config.ts";
import type { Notice } from "../../core/run/events.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import type { DuetError } from "../../kit/errors.ts";
import { isUnreachable } from "../../store/errors/store-error.ts";
import type { ConversationParts } from "../duet-parts.ts";
import type { StoreMonitor, StoreState, StoreStatus } from "./store-monitor.ts";

/** Says how the store is, and tells each change of that. The store itself is opened when first needed. */
export class StoreHealth {
  readonly #config: Config;
  readonly #store: ConversationParts["store"];
  readonly #monitor: StoreMonitor;

  constructor(config: Config, { store, monitor }: Pick<ConversationParts, "store" | "monitor">) {
    this.#config = config;
    this.#store = store;
    this.#monitor = monitor;
  }

  get status(): StoreStatus {
    return this.#monitor.status;
  }

  /** Is what is wrong now, and undefined while the store is used as it should be. */
  get problem(): DuetError | undefined {
    return this.#monitor.problem;
  }

  /** Is why nothing new can be asked: the database of the store cannot be reached. A file that cannot be written refuses nothing. */
  get refusal(): DuetError | undefined {
    const { problem } = this.#monitor;
    return isUnreachable(problem) ? problem : undefined;
  }

  /** Is true once something has needed the store, which is open since then or is just being opened. */
  get isInUse(): boolean {
    return this.#store.current !== undefined;
  }

  /** Returns false when conversations last only as long as the process, by choice or because the store cannot be used. */
  async canKeepConversations(): Promise<boolean> {
    await this.#store.get();
    return this.#config.conversations.store === "disk" && this.#monitor.status.state !== "memory";
  }

  /** Opens the store and finds out whether it can be read and written; `problem` says what is wrong. Never rejects. */
  async check(): Promise<StoreState> {
    const probing = this.#store.get().then((opened) => opened.probe?.());
    await ignoreRejection(probing, "the monitor reports it");
    return this.#monitor.status.state;
  }

  /** Calls `listener` for each event from now on, until the returned function is called. What still holds is reported at once. */
  follow(listener: Parameters<StoreMonitor["follow"]>[0]): () => void {
    return this.#monitor.follow(listener);
  }

  /** Returns notices about the store that no run has emitted yet, such as a damaged file. Each is returned once. */
  async takeNotices(): Promise<Notice[]> {
    return (await this.#store.current)?.takeNotices(this.#config.locale) ?? [];
  }
}
