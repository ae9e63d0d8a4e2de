import type { UserView } from '@atrium/core/users/users'
import { lazy, Suspense, useState } from 'react'
import { SwitcherButton } from './switcher-button.tsx'

const loadList = () => import('./tenant-list.tsx')
const TenantList = lazy(loadList)

interface Props {
  tenants: UserView['tenants']
  /** Slug of the workplace being shown. */
  current: string | undefined
  /** The partner whose area the person may open. */
  partner: UserView['partner'] | undefined
  inPartnerArea: boolean
}

/** The workplace being shown, and the way to another one or to a new one. */
export function TenantSwitcher(props: Props) {
  const { tenants, current, partner, inPartnerArea } = props
  const [requested, setRequested] = useState(false)
  const preload = () => void loadList()
  const shown =
    inPartnerArea && partner
      ? { name: partner.name, brandColor: null }
      : tenants.find(({ slug }) => slug === current)
  const button = (
    <SwitcherButton
      shown={shown}
      aria-haspopup="listbox"
      aria-expanded={false}
      onClick={() => setRequested(true)}
      onPointerEnter={preload}
      onFocus={preload}
    />
  )
  return (
    <Suspense fallback={button}>
      {requested ? <TenantList {...props} shown={shown} /> : button}
    </Suspense>
  )
}
