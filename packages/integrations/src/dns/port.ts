import type { DnsAnswer, RecordType } from '@atrium/core/mail/dns-answers'
import type { CallOptions } from '../call-options.ts'

/** Live DNS, as the world sees it. */
export interface DnsResolver {
  /**
   * Looks up the records of a name and follows aliases (CNAME). A failed lookup is `unknown` with a
   * sentence for people, never `absent`: a name server that is down says nothing about the record.
   * Returns at most 200 values of at most 4,096 characters: longer values are cut, and more records
   * are `unknown`. Rejects only when the signal aborts.
   */
  lookup(type: RecordType, name: string, options?: CallOptions): Promise<DnsAnswer>
}
