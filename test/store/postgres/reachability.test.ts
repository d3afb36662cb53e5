import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { StoreError } from "../../../src/store/errors/store-error.ts";
import { createReachability } from "../../../src/store/postgres/reachability.ts";
import { postgres, type SharedPostgres, sharePostgres } from "../../fakes/postgres.ts";
import { requires } from "../../runner/requirements.ts";

describe("whether a database can be reached", requires(postgres), () => {
  let server: SharedPostgres;
  beforeAll(async () => {
    server = await sharePostgres();
  });
  afterAll(() => server?.stop());

  test("a process that stood still longer than it waits for an answer does not take the database for gone", async () => {
    const closing = new AbortController();
    const gone = new StoreError(Object.assign(new Error("no answer"), { code: "08006" }), "db");
    const reachability = createReachability({
      url: await server.createDatabase(),
      explain: () => gone,
      prepare: async () => {},
      ensureWork: async () => {},
      closing: closing.signal,
    });
    await reachability.open();
    const asked = reachability.use((client) => {
      const answering = client.query("SELECT 1");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_200);
      return answering;
    });
    await expect(asked).rejects.toBe(gone);
    expect(reachability.problem).toBeUndefined();
    closing.abort();
    await reachability.close();
  });
});
