import { once } from "node:events";
import { chmod, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createClient, createPool } from "../../../src/store/postgres/client.ts";
import { temporaryFolder } from "../../fakes/program.ts";

/** Is how a server asks for the password as it is. */
const passwordRequest = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]);

/** A server that asks for a password, notes it, and lets nobody in. */
async function startServer() {
  const passwords: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.write(passwordRequest));
    socket.on("data", (data) => {
      if (data[0] !== 0x70) return;
      passwords.push(data.subarray(5, -1).toString());
      socket.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { passwords, port: (server.address() as AddressInfo).port };
}

test("a password is that of the address, of PGPASSWORD or of the password file, about which nothing is warned", async () => {
  const { passwords, port } = await startServer();
  const file = join(await temporaryFolder(), "pgpass");
  await writeFile(file, `127.0.0.1:${port}:other:duet:wrong\n127.0.0.1:${port}:*:duet:of-the-file\n`);
  await chmod(file, 0o600);
  vi.stubEnv("PGPASSFILE", file);
  onTestFinished(() => void vi.unstubAllEnvs());
  const warn = vi.spyOn(process, "emitWarning");
  onTestFinished(() => warn.mockRestore());
  const connect = async (user: string) => {
    const url = `postgres://${user}@127.0.0.1:${port}/duet`;
    const pool = createPool(url);
    await expect(createClient(url).connect()).rejects.toThrow();
    await expect(pool.connect()).rejects.toThrow();
    await pool.end();
  };
  await connect("duet");
  await connect("duet:of-the-address");
  vi.stubEnv("PGPASSWORD", "of-the-environment");
  await connect("duet");
  const expected = ["of-the-file", "of-the-address", "of-the-environment"];
  expect(passwords).toEqual(expected.flatMap((password) => [password, password]));
  expect(warn).not.toHaveBeenCalled();
});
