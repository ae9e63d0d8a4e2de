import { type DeviceKind, type DeviceRecord, deviceKinds } from '../records.ts'
import { invalid, missing } from './errors.ts'
import { exact, order, paginate, search } from './lists.ts'
import { done, ok, type Resource } from './router.ts'
import { partialUser } from './views.ts'

const kinds: Record<DeviceKind, { type: string; name: string; plural: string }> = {
  totp: {
    type: 'authentik_stages_authenticator_totp.TOTPDevice',
    name: 'TOTP Device',
    plural: 'TOTP Devices',
  },
  webauthn: {
    type: 'authentik_stages_authenticator_webauthn.WebAuthnDevice',
    name: 'WebAuthn Device',
    plural: 'WebAuthn Devices',
  },
  static: {
    type: 'authentik_stages_authenticator_static.StaticDevice',
    name: 'Static Device',
    plural: 'Static Devices',
  },
  sms: {
    type: 'authentik_stages_authenticator_sms.SMSDevice',
    name: 'SMS Device',
    plural: 'SMS Devices',
  },
  email: {
    type: 'authentik_stages_authenticator_email.EmailDevice',
    name: 'Email Device',
    plural: 'Email Devices',
  },
  duo: {
    type: 'authentik_stages_authenticator_duo.DuoDevice',
    name: 'Duo Device',
    plural: 'Duo Devices',
  },
}

/** A device of the mixed list. It does not say whose it is. */
function deviceView(device: DeviceRecord) {
  const kind = kinds[device.kind]
  return {
    verbose_name: kind.name,
    verbose_name_plural: kind.plural,
    meta_model_name: kind.type.toLowerCase(),
    pk: device.pk,
    name: device.name,
    type: kind.type,
    confirmed: device.confirmed,
    created: device.created,
    last_updated: device.last_updated,
    last_used: device.last_used,
    extra_description: device.kind === 'webauthn' ? 'Unknown Device' : null,
    external_id: null,
  }
}

export const deviceResources: readonly Resource[] = [
  {
    path: 'authenticators/admin/all/',
    GET({ store, query }) {
      const requested = query.get('user')
      if (requested === null) return ok(store.records.devices.map(deviceView))
      if (!/^-?\d+$/.test(requested))
        throw invalid({ user: [`Incorrect type. Expected pk value, received str.`] })
      const user = store.records.users.find((one) => String(one.pk) === requested)
      if (!user) throw invalid({ user: [`Invalid pk "${requested}" - object does not exist.`] })
      return ok(store.records.devices.filter((device) => device.user === user.pk).map(deviceView))
    },
  },
  ...deviceKinds.map(
    (kind): Resource => ({
      path: `authenticators/admin/${kind}/`,
      GET({ store, query }) {
        let rows = store.records.devices.filter((device) => device.kind === kind)
        rows = search(
          query,
          exact(query, rows, 'name', (device) => device.name),
          (device) => [device.name],
        )
        rows = order(query, rows, { name: (device) => device.name })
        return paginate(query, rows, ({ pk, name, user }) => {
          const owner = store.records.users.find((one) => one.pk === user)
          return {
            pk: kind === 'duo' || kind === 'email' || kind === 'sms' ? pk : Number(pk),
            name,
            user: owner && partialUser(owner),
          }
        })
      },
    }),
  ),
  ...deviceKinds.map(
    (kind): Resource => ({
      path: `authenticators/admin/${kind}/:pk/`,
      DELETE({ store, params }) {
        const device = store.records.devices.find(
          (one) => one.kind === kind && one.pk === params.pk,
        )
        if (!device) throw missing(kinds[kind].type.split('.')[1] ?? '')
        store.records.devices = store.records.devices.filter((one) => one !== device)
        store.changed()
        return done
      },
    }),
  ),
]
