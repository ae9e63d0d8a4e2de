import { Drawer, type DrawerProps } from '@mantine/core'

/**
 * A drawer at the right with the details of one record. A dialog that its content opens closes by
 * itself: Mantine hands Escape to every open modal at once, so the drawer ignores it while it is
 * not the topmost one.
 */
export function SideDrawer({ onClose, ...props }: DrawerProps) {
  const closeIfTopmost = () => {
    if (document.querySelectorAll('[role="dialog"][aria-modal="true"]').length <= 1) onClose()
  }
  return <Drawer position="right" size="lg" {...props} onClose={closeIfTopmost} />
}
