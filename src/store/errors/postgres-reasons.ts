import type { Text } from "../../kit/locale.ts";
import { conflict, full, gone, notAllowed, type Reason } from "./reason.ts";

/** Is the code of a server, a database or a role that has no connection left. */
export const noneLeft = "53300";

/** Is the code of a statement that took too long, or that somebody has cancelled. */
export const cancelled = "57014";

/** Is the code of a process all of whose own connections are in use (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
export const allInUse = "53400";

/** Is the code of a server that is short of means (same place), which a database gets here that has not made a connection in time. */
export const busy = "53000";

/** Is the code of a server without TLS, which is asked for. The package reports it without one. */
export const noTls = "NO_TLS";

/** Is the code of a server that refuses a connection without TLS, which it reports as one that its `pg_hba.conf` has no line for. */
export const needsTls = "28TLS";

/** Is the code of a server whose `pg_hba.conf` has no line for the address, the role and the database. */
export const noEntry = "28HBA";

/** Is the code of a database that only reads (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
export const onlyReads = "25006";

/** Says what a role needs to be allowed. */
export const rightsHint: Text = {
  zh: "请让这个角色成为数据库的所有者，或授予它模式的 CREATE、表的 SELECT、INSERT、UPDATE、DELETE 和序列的 USAGE 权限。",
  en: "Let the role own the database, or grant it CREATE on the schema, SELECT, INSERT, UPDATE and DELETE on the tables, and USAGE on the sequence.",
};

const refused: Reason = {
  failure: "unreachable",
  why: { zh: "数据库拒绝了这个用户或密码", en: "the database refuses this user or password" },
};
const untrusted: Reason = {
  failure: "other",
  why: { zh: "数据库服务器的证书不受信任", en: "the certificate of the database's server is not trusted" },
  hint: {
    zh: "请用 sslrootcert=文件 指明签发它的机构的证书。",
    en: "Name the certificate of the authority that issued it: sslrootcert=FILE.",
  },
};

/** Maps the codes of PostgreSQL, classes of them, and those of a certificate that is not accepted to what they mean. */
export const postgresReasons: Readonly<Record<string, Reason>> = {
  "08": gone,
  [noneLeft]: {
    failure: "unreachable",
    why: { zh: "数据库的连接已用完", en: "the database has no connection left" },
    hint: {
      zh: "请调大 max_connections，或角色、数据库的 CONNECTION LIMIT（每个副本 10 个），或结束其他客户端。",
      en: "Raise max_connections, or the CONNECTION LIMIT of the role or database (10 for each replica), or end other clients.",
    },
  },
  [allInUse]: {
    failure: "unreachable",
    why: { zh: "到数据库的连接都在使用中", en: "all connections to the database are in use" },
    hint: {
      zh: "每个进程最多用 8 个连接；请减少同时的提问，或增加副本。",
      en: "This process uses 8 connections at most; ask fewer questions at once, or add a replica.",
    },
  },
  [busy]: {
    failure: "unreachable",
    why: { zh: "数据库太忙，没有及时接受新连接", en: "the database is too busy to make a connection in time" },
    hint: { zh: "请查看数据库所在机器的负载。", en: "Look at the load of the database's machine." },
  },
  "55P03": {
    failure: "unreachable",
    why: {
      zh: "它的表被锁住：另一个进程正在更新表结构，或正在备份",
      en: "its tables are locked, by a process that updates them or by a backup",
    },
    hint: { zh: "请等它结束后再试。", en: "Try again when that has ended." },
  },
  "53100": full,
  "57": gone,
  [cancelled]: {
    failure: "other",
    why: { zh: "数据库取消了这条语句", en: "the database has cancelled the statement" },
  },
  [noTls]: {
    failure: "other",
    why: { zh: "数据库服务器不支持 TLS", en: "the database's server does not support TLS" },
    hint: {
      zh: "请在服务器上启用 TLS（ssl = on），或去掉地址中的 sslmode。",
      en: "Turn it on there (ssl = on), or leave sslmode out of the address.",
    },
  },
  [needsTls]: {
    failure: "unreachable",
    why: {
      zh: "数据库服务器不接受没有 TLS 的连接，或它的 pg_hba.conf 没有允许这个用户",
      en: "the database's server takes no connection without TLS, or its pg_hba.conf does not let this user in",
    },
    hint: { zh: "请在地址中加上 sslmode=verify-full。", en: "Add sslmode=verify-full to the address." },
  },
  [noEntry]: {
    failure: "unreachable",
    why: {
      zh: "数据库服务器的 pg_hba.conf 没有允许这个用户从这里连接这个数据库",
      en: "the pg_hba.conf of the database's server does not let this user in from here",
    },
    hint: { zh: "请在那里加一行，然后重新加载配置。", en: "Add a line there, and reload its settings." },
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  ERR_TLS_CERT_ALTNAME_INVALID: {
    failure: "other",
    why: {
      zh: "数据库服务器的证书不是为地址中的主机签发的",
      en: "the certificate of the database's server is for another host than the address names",
    },
    hint: { zh: "请在地址中用证书里的主机名。", en: "Name the host in the address as the certificate does." },
  },
  "28": refused,
  "3D": {
    failure: "unreachable",
    why: { zh: "没有这个数据库", en: "there is no such database" },
    hint: {
      zh: "请建立这个数据库，或改正 store.url 里的库名。",
      en: "Create the database, or correct its name in store.url.",
    },
  },
  "25P03": gone,
  [onlyReads]: {
    failure: "unreachable",
    why: { zh: "数据库只能读（可能是备库）", en: "the database only reads, as a standby does" },
    hint: {
      zh: "请让 store.url 指向主库；如果它就是主库，请为这个角色和数据库关闭 default_transaction_read_only。",
      en: "Point store.url at the primary. Where it is the primary, turn default_transaction_read_only off for the role and the database.",
    },
  },
  "42501": { ...notAllowed, hint: rightsHint },
  "23505": conflict,
};
