import { Tabs } from '@mantine/core'
import type { ReactNode } from 'react'

interface PageTab<Name extends string> {
  name: Name
  label: string
  content: ReactNode
}

interface Props<Name extends string> {
  label: string
  tabs: readonly PageTab<Name>[]
  /** The name in the address; without one the first tab is open. */
  open: Name | undefined
  /** The name for the address; undefined for the first tab. */
  onChange: (name: Name | undefined) => void
}

/** The tabs of a page. Only the open one is mounted. */
export function PageTabs<Name extends string>({ label, tabs, open, onChange }: Props<Name>) {
  const [first, ...others] = tabs
  return (
    <Tabs
      value={open ?? first?.name ?? null}
      onChange={(value) => onChange(others.find(({ name }) => name === value)?.name)}
      keepMounted={false}
    >
      <Tabs.List mb="lg" aria-label={label}>
        {tabs.map((tab) => (
          <Tabs.Tab key={tab.name} value={tab.name}>
            {tab.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ name, content }) => (
        <Tabs.Panel key={name} value={name}>
          {content}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
