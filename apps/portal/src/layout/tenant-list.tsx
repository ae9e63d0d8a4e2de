import { ownValue } from '@atrium/core/platform/own-value'
import type { UserView } from '@atrium/core/users/users'
import type { LinkTarget } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { tenantStatusMeta } from '@atrium/ui/tones'
import { Combobox, Group, ScrollArea, Text, useCombobox } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import * as links from '../links.ts'
import { lastTenant, lastVisitedFirst } from '../session/last-tenant.ts'
import { TenantMark } from '../tenants/tenant-mark.tsx'
import { type Shown, SwitcherButton } from './switcher-button.tsx'
import classes from './tenant-switcher.module.css'

const t = translations('portal.layout')

interface Props {
  tenants: UserView['tenants']
  /** Slug of the workplace being shown. */
  current: string | undefined
  /** The partner whose area the person may open. */
  partner: UserView['partner'] | undefined
  inPartnerArea: boolean
  shown: Shown | undefined
}

const create = '+new'
const partnerArea = '+partner'
const destinations: Readonly<Record<string, LinkTarget>> = {
  [create]: links.newTenant,
  [partnerArea]: links.partner,
}
// From here on a list is quicker to search than to read.
const searchable = 6

/**
 * The workplaces and the way to a new one, below their button. Opens when it appears: it is loaded
 * when it is asked for.
 */
export default function TenantList({ tenants, current, partner, inPartnerArea, shown }: Props) {
  const router = useRouter()
  const [words, setWords] = useState('')
  const combobox = useCombobox({
    onDropdownClose: () => {
      combobox.resetSelectedOption()
      setWords('')
    },
    onDropdownOpen: () =>
      tenants.length >= searchable ? combobox.focusSearchInput() : combobox.focusTarget(),
  })
  const target = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    // The button that was pressed is gone, and the focus with it.
    target.current?.focus()
    combobox.openDropdown()
  }, [])
  const found = lastVisitedFirst(tenants, lastTenant()).filter(({ name, slug }) =>
    `${name} ${slug}`.toLowerCase().includes(words.trim().toLowerCase()),
  )

  return (
    <Combobox
      store={combobox}
      width={300}
      position="bottom-start"
      withinPortal={false}
      onOptionSubmit={(value) => {
        combobox.closeDropdown()
        void router.navigate(ownValue(destinations, value) ?? links.overview(value))
      }}
    >
      <Combobox.Target targetType="button">
        <SwitcherButton ref={target} shown={shown} onClick={() => combobox.toggleDropdown()} />
      </Combobox.Target>
      <Combobox.Dropdown>
        {tenants.length >= searchable && (
          <Combobox.Search
            value={words}
            onChange={(event) => {
              setWords(event.currentTarget.value)
              combobox.selectFirstOption()
            }}
            placeholder={t('switcher.search')}
            aria-label={t('switcher.search')}
          />
        )}
        <Combobox.Options aria-label={t('sections.workplaces')}>
          <ScrollArea.Autosize mah={320} type="scroll">
            {partner && (
              <Combobox.Option value={partnerArea} active={inPartnerArea}>
                <Group gap="sm" wrap="nowrap">
                  <TenantMark name={partner.name} color={null} size={28} />
                  <div className={classes.text}>
                    <Text size="sm" fw={550} truncate>
                      {partner.name}
                    </Text>
                    <Text size="xs" c="dimmed" truncate>
                      {t('pages.partner')}
                    </Text>
                  </div>
                </Group>
              </Combobox.Option>
            )}
            {found.map((tenant) => (
              <Combobox.Option key={tenant.id} value={tenant.slug} active={tenant.slug === current}>
                <Group gap="sm" wrap="nowrap">
                  <TenantMark name={tenant.name} color={tenant.brandColor} size={28} />
                  <div className={classes.text}>
                    <Text size="sm" fw={550} truncate>
                      {tenant.name}
                    </Text>
                    <Text size="xs" c="dimmed" truncate>
                      {tenant.slug}
                      {tenant.status !== 'active' && ` · ${tenantStatusMeta(tenant.status).label}`}
                    </Text>
                  </div>
                </Group>
              </Combobox.Option>
            ))}
            {found.length === 0 && tenants.length > 0 && (
              <Combobox.Empty>{t('switcher.noMatch')}</Combobox.Empty>
            )}
          </ScrollArea.Autosize>
          <Combobox.Option value={create} className={classes.create}>
            <Group gap="sm" wrap="nowrap">
              <IconPlus size={18} aria-hidden />
              {t('pages.newTenant')}
            </Group>
          </Combobox.Option>
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}
