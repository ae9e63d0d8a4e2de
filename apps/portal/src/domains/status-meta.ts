import type { DomainState, DomainView, Verdict } from '@atrium/core/mail/domains'
import type { StatusMeta } from '@atrium/ui/tones'

export const stateMeta: Readonly<Record<DomainState, StatusMeta>> = {
  unchecked: { label: 'Not checked yet', tone: 'waiting' },
  pending: { label: 'Waiting for DNS', tone: 'waiting' },
  verified: { label: 'Verified', tone: 'good' },
  degraded: { label: 'Needs attention', tone: 'warning' },
  failing: { label: 'Failing', tone: 'bad' },
  unknown: { label: 'Could not be checked', tone: 'neutral' },
}

export const verdictMeta: Readonly<Record<Verdict, StatusMeta>> = {
  unchecked: { label: 'Not checked yet', tone: 'waiting' },
  ok: { label: 'Right', tone: 'good' },
  missing: { label: 'Missing', tone: 'bad' },
  mismatch: { label: 'Different', tone: 'warning' },
  unknown: { label: 'Could not be checked', tone: 'neutral' },
}

/** What the state of a domain means and what to do now. */
export function nextStep({
  state,
  managed,
  verified,
}: Pick<DomainView, 'state' | 'managed' | 'verified'>): string {
  if (managed)
    return 'This domain belongs to the platform. Its records are published for you; there is nothing to do.'
  switch (state) {
    case 'unchecked':
    case 'pending':
      return verified
        ? 'The records are being looked at again.'
        : 'Publish the records below where the domain is managed, then check. New records can take from minutes to hours to be seen; we also look by ourselves.'
    case 'verified':
      return 'Everything that mail needs is published. We keep looking every day.'
    case 'degraded':
      return 'The domain is yours and works, but some records are missing or different. Mail may be taken for spam until they are mended.'
    case 'failing':
      return 'Records that mail needs are missing or different. Mail for this domain may be lost until they are mended.'
    case 'unknown':
      return 'The name servers of the domain did not answer just now, which says nothing about the records. Check again in a while.'
  }
}
