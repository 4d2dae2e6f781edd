"""The edge of the program: the only place with asyncio, sockets and mDNS. Everything inward is sans-I/O.

``connection`` carries one secure line over TCP, ``targets`` decides when to dial whom, ``runner`` joins both with a
peer; ``query`` asks a table over TCP what it is, ``announce`` and ``browse`` find tables by mDNS, ``interfaces``
says which addresses this machine has, ``records`` reads and writes what an announcement says.
"""
