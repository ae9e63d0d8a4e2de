import type { SsoAppState } from '@atrium/core/sso/sso'
import type { StatusMeta } from '@atrium/ui/tones'

/** States as people read them, with what to do about the ones that are not simply good. */
export const appStates: Readonly<Record<SsoAppState, StatusMeta & { advice?: string }>> = {
  active: { label: 'Active', tone: 'good' },
  missing: {
    label: 'Gone at the provider',
    tone: 'bad',
    advice:
      'Somebody has deleted this application at the identity provider, so nobody can sign in to it. Remove it here and add it again; it gets a new client id and secret.',
  },
  unknown: {
    label: 'Not known',
    tone: 'neutral',
    advice:
      'The identity provider could not be asked about this application just now. Sign-in may well work; load the page again later.',
  },
  pending: {
    label: 'Being set up',
    tone: 'working',
    advice: 'If it stays like this, it is cleared away by itself and can be added again.',
  },
  removing: {
    label: 'Being removed',
    tone: 'working',
    advice:
      'The identity provider did not answer. The removal is tried again by itself until it is done.',
  },
}
