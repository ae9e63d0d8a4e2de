import { translations } from '@atrium/ui/messages'
import { Text, UnstyledButton, type UnstyledButtonProps, VisuallyHidden } from '@mantine/core'
import { IconSelector } from '@tabler/icons-react'
import type { ComponentPropsWithRef } from 'react'
import { TenantMark } from '../tenants/tenant-mark.tsx'
import classes from './tenant-switcher.module.css'

const t = translations('portal.layout')

export interface Shown {
  name: string
  brandColor: string | null
}

interface Props
  extends UnstyledButtonProps,
    Omit<ComponentPropsWithRef<'button'>, keyof UnstyledButtonProps> {
  shown: Shown | undefined
}

/** Names the workplace being shown, and opens the list of the others. */
export function SwitcherButton({ shown, ...button }: Props) {
  return (
    <UnstyledButton className={classes.target} {...button}>
      {shown && <TenantMark name={shown.name} color={shown.brandColor} size={24} />}
      <Text span fw={550} truncate>
        {shown?.name ?? t('switcher.choose')}
      </Text>
      {shown && <VisuallyHidden>, {t('switcher.switch')}</VisuallyHidden>}
      <IconSelector size={16} stroke={1.75} aria-hidden className={classes.chevron} />
    </UnstyledButton>
  )
}
