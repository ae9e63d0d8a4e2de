import type { Adapter, AdapterPayload } from 'oidc-provider'
import { type ArtifactRecord, nextPk, type Store } from '../records.ts'

/** How many records may gather before expired ones are swept. */
const sweepAbove = 500

/**
 * Keeps what the OpenID provider stores in the records of the identity system, so that it is saved
 * with them and so that the REST API lists it. `onSession` hears of every stored session of a
 * signed-in person.
 */
export function createAdapter(
  store: Store,
  onSession: (payload: AdapterPayload, expires: number) => void,
) {
  return (model: string): Adapter => {
    const key = (id: string) => `${model}:${id}`
    const alive = (artifact: ArtifactRecord | undefined): AdapterPayload | undefined => {
      if (!artifact || (artifact.expires !== null && artifact.expires <= store.now()))
        return undefined
      return structuredClone(artifact.payload) as AdapterPayload
    }
    const search = (matches: (payload: Record<string, unknown>) => boolean) =>
      alive(
        Object.values(store.records.artifacts).find(
          (one) => one.model === model && matches(one.payload),
        ),
      )

    return {
      async upsert(id, payload, expiresIn) {
        const { artifacts } = store.records
        if (Object.keys(artifacts).length > sweepAbove) sweep(store)
        const expires = expiresIn ? store.now() + expiresIn * 1000 : null
        const pk = artifacts[key(id)]?.pk ?? nextPk(store)
        artifacts[key(id)] = {
          pk,
          model,
          id,
          expires,
          payload: structuredClone(payload) as Record<string, unknown>,
        }
        if (model === 'Session' && payload.accountId) onSession(payload, expires ?? store.now())
        store.changed()
      },
      async find(id) {
        return alive(store.records.artifacts[key(id)])
      },
      async findByUid(uid) {
        return search((payload) => payload.uid === uid)
      },
      async findByUserCode(userCode) {
        return search((payload) => payload.userCode === userCode)
      },
      /**
       * A used code or refresh token is deleted immediately: authentik returns `invalid_grant` for
       * its second use and leaves the tokens of the first use alone, whereas a record marked as
       * consumed makes the provider revoke the whole grant.
       */
      async consume(id) {
        delete store.records.artifacts[key(id)]
        store.changed()
      },
      async destroy(id) {
        delete store.records.artifacts[key(id)]
        store.changed()
      },
      async revokeByGrantId(grantId) {
        removeArtifacts(store, (one) => one.payload.grantId === grantId)
      },
    }
  }
}

/** Removes the records for which `matches` is true. */
export function removeArtifacts(
  store: Store,
  matches: (artifact: ArtifactRecord) => boolean,
): void {
  const { artifacts } = store.records
  for (const [key, artifact] of Object.entries(artifacts)) {
    if (matches(artifact)) delete artifacts[key]
  }
  store.changed()
}

function sweep(store: Store): void {
  removeArtifacts(store, (artifact) => artifact.expires !== null && artifact.expires <= store.now())
}
