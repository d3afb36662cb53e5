import { DuetError } from "../kit/errors.ts";

/** Is why a run is cancelled that its server cannot carry out any further, because it ends. Nobody has asked for that. */
export class ServerEndsError extends DuetError {
  constructor() {
    super({ code: "overloaded", text: { zh: "服务器正在关闭", en: "the server is closing" } });
  }
}
