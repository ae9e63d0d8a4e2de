import type { DnsAnswer, RecordType } from '@atrium/core/mail/dns-answers'
import type { CallOptions } from '../call-options.ts'

/** Live DNS, as the world sees it. */
export interface DnsResolver {
  /**
   * Asks for the records of a name, aliases (CNAME) followed. What goes wrong on the way is the
   * answer `unknown` with a sentence for people, never `absent`: a name server that is down says
   * nothing about the record. Returns at most 200 values of at most 4,096 characters: a longer
   * value is cut, more records are `unknown`. Rejects only when the signal ends it.
   */
  lookup(type: RecordType, name: string, options?: CallOptions): Promise<DnsAnswer>
}
