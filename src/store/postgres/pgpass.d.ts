declare module "pgpass" {
  /** Names the connection whose line is looked for. */
  interface Connection {
    host: string;
    port: number;
    database: string;
    user: string;
  }

  /** Calls back with the password of the first line of `~/.pgpass`, or of the file of `PGPASSFILE`, that fits. */
  export default function readPassword(connection: Connection, callback: (password: string | undefined) => void): void;
}
