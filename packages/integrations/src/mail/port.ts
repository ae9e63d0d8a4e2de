import type { CallOptions } from '../call-options.ts'

/** Domains of the mail server. Every method rejects with `UpstreamError` alone, unless the signal ended it. */
export interface MailServer {
  /** Proves address and credentials; the permissions are the server's own names. */
  check(options?: CallOptions): Promise<{ permissions: string[] }>
  /**
   * Creates the domain or finds the one that is there. A domain that exists is ours when its description equals `description` or
   * is empty; otherwise it belongs to somebody else: `conflict`. A name the server does not take: `refused`.
   */
  ensureDomain(domain: { name: string; description: string }, options?: CallOptions): Promise<{ id: string; created: boolean }>
  findDomain(name: string, options?: CallOptions): Promise<{ id: string; description: string | undefined } | undefined>
}
