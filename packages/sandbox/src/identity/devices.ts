import { type DeviceKind, type DeviceRecord, isoNow, nextPk, type Store } from './records.ts'

/** Enrols an authenticator for a person and returns its record. */
export function addDevice(
  store: Store,
  user: { readonly pk: number },
  device: { kind: DeviceKind; name: string; confirmed: boolean },
): DeviceRecord {
  const at = isoNow(store)
  const record = {
    ...device,
    pk: String(nextPk(store)),
    user: user.pk,
    created: at,
    last_updated: at,
    last_used: null,
  }
  store.records.devices.push(record)
  store.changed()
  return record
}
