from warehouse_plugin.shelf import Shelf
