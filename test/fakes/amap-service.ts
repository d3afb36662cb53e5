import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import { type AmapAnswer, answerTo, inV4, refused } from "./amap-answers.ts";

export interface AmapHit {
  path: string;
  search: Record<string, string>;
  /** Milliseconds on the clock of `performance.now()`. */
  at: number;
}

export interface AmapService {
  url: string;
  hits: AmapHit[];
  /** The next `count` requests are refused with this: `refuse(1, "10021", "CUQPS_HAS_EXCEEDED_THE_LIMIT")`; `after` go before them. */
  refuse(count: number, infocode: string, info: string, after?: number): void;
}

/** Amap's web service (restapi.amap.com) on 127.0.0.1, with data of our own making; closed when the test ends. Only this key is known. */
export async function startAmapService(key: string): Promise<AmapService> {
  const hits: AmapHit[] = [];
  const refusals: (AmapAnswer | undefined)[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const search = Object.fromEntries(searchParams);
    hits.push({ path: pathname, search, at: performance.now() });
    const answer = refusals.shift() ?? answerTo(pathname, search, key);
    response.writeHead(200, { "content-type": "application/json;charset=UTF-8" });
    response.end(JSON.stringify(pathname.startsWith("/v4/") ? inV4(answer) : answer));
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : 0);
    });
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const service: AmapService = {
    url: `http://127.0.0.1:${port}`,
    hits,
    refuse(count, infocode, info, after = 0) {
      refusals.push(...Array(after).fill(undefined), ...Array.from({ length: count }, () => refused(info, infocode)));
    },
  };
  return service;
}
