import { DuetError } from "../../kit/errors.ts";
import { formatCount } from "../../kit/text/format-count.ts";
import { isAddress } from "../errors/store-error.ts";

/** Throws a `config` error where a store has runs that are carried out now: whoever uses the copy would carry them out a second time. */
export function refuseRunsInUse(place: string, count: number): void {
  if (count === 0) return;
  throw new DuetError({
    code: "config",
    text: {
      zh: `正在运行的 Duet 还在执行 ${place} 中的 ${count} 个运行，不能复制`,
      en: `${place} is in use: a running Duet carries out ${formatCount(count, "unfinished run")} of it`,
    },
    hint: isAddress(place)
      ? {
          zh: "请先停止使用它的服务器和命令；被强行结束的进程，五秒后不再算在内。",
          en: "Stop the servers and commands that use it first; one that was killed counts for five seconds more.",
        }
      : { zh: "请先停止使用它的服务器和命令。", en: "Stop the servers and commands that use it first." },
  });
}
