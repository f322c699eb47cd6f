"""The notification service of PolyShop."""
